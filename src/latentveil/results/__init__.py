"""What an audit finds, as plain typed records that turn into JSON and back."""
