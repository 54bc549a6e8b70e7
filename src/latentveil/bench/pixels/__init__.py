"""What the protocol `pixels` is made of: clips, the networks that grade them, and the anonymizers of its rows."""
