"""Ways to make an anonymizer; none of them may import attacks."""
