"""The decisive experiment: does the published objective hide static attributes of strangers?"""
