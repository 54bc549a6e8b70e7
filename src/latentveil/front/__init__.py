"""The verbs that serve features and videos alike: they tell the two apart and call the room that knows them."""
