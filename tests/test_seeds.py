from latentveil.seeds import derive_seed


def test_every_part_of_a_run_has_a_seed_of_its_own():
    seeds = {derive_seed(run, epoch) for run in range(20) for epoch in range(20)}
    assert len(seeds) == 400


def test_the_same_numbers_give_the_same_seed():
    assert derive_seed(3, 7) == derive_seed(3, 7)
    assert derive_seed(3, 7) != derive_seed(7, 3)
    assert derive_seed(3) != derive_seed(3, 1)
