from latentveil.video.index import PacketIndex

# Ten frames in decoding order (pts, dts, keyframe): keyframes at 0 and 50, one frame of each pair comes reordered.
PACKETS = [
    (0, -10, True),
    (20, 0, False),
    (10, 10, False),
    (40, 20, False),
    (30, 30, False),
    (50, 40, True),
    (70, 50, False),
    (60, 60, False),
    (90, 70, False),
    (80, 80, False),
]


def test_frames_are_numbered_in_the_order_they_are_shown():
    index = PacketIndex(PACKETS)
    assert index.num_frames == 10
    assert index.pts == list(range(0, 100, 10))
    assert index.keyframes == [0, 5]


def test_a_frame_is_sought_by_the_decoding_time_of_its_keyframe():
    index = PacketIndex(PACKETS)
    assert [index.seek_target(frame) for frame in (0, 4, 5, 9)] == [-10, -10, 40, 40]


def test_a_jump_is_made_only_over_a_keyframe():
    index = PacketIndex(PACKETS)
    assert index.runs([1, 3, 8, 9]) == [[1, 3], [8, 9]]
    assert index.runs([3, 4, 5, 6]) == [[3, 4, 5, 6]]


def test_seeking_pays_when_it_saves_half_of_the_decoding():
    index = PacketIndex(PACKETS)
    assert index.seeking_pays([5])  # one frame instead of six
    assert not index.seeking_pays([9])  # five frames instead of ten
    assert not index.seeking_pays([0, 5, 9])


def test_packets_without_time_are_counted_but_never_sought():
    index = PacketIndex([(None, None, True), (1, 1, True), (2, 2, True)])
    assert index.num_frames == 3
    assert not index.seeking_pays([2])
    assert not PacketIndex([]).seeking_pays([0])
