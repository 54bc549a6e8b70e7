"""From a file to clips: decoding, sampling, preprocessing; and back to a file.

`decode.py` gives frames (`frames.py`), `clips.py` says which of them make a clip, `views.py` how a frame becomes a
square picture, `reading.py` puts the three together. `sandbox.py` decodes untrusted files in another process
(`decoder_process.py`, `warden.py`, `confine.py`, `wire.py`). `write.py` writes mp4.
"""
