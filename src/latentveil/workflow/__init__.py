"""What a user does, from store to store: fit an adapter, apply it, audit the result; and the whole story as a demo."""
