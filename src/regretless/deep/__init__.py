"""Deep CFR, single deep CFR and neural fictitious self-play: strategies as networks, trained on sampled play.

In reading order:

    extras              PyTorch is an extra: here it is found to be there, or not
    seeds               random numbers: a stream for every piece of work
    features            what a player knows, as a vector of numbers
    arrays              a game on arrays: batches of states that move on together
    listed              … of a game whose histories are listed
    matching            from what networks say to what players do
    baselines           guesses that take luck out of what walks find
    traversal           external sampling, all walks advancing level by level
    batches             what training takes from a memory
    reservoir, merged   memories: some of the samples that were seen, or all of them merged by infoset
    followed            … or what was found at the same infosets in every iteration
    networks            perceptrons with and without skips
    holdem_network      the hold'em network of Deep CFR
    sloped, slopes      networks as one vector, and their slopes
    holdem_slopes       … of the hold'em network, written out
    losses, adam        what is minimised, and steps that follow slopes
    fused, …_kernels    a whole step of the hold'em network as two kernels of a GPU
    training            fitting a network to a memory
    network_learner     what every method with networks does
    values, averaging   a player's value network; the strategy network
    learner             what Deep CFR does on every kind of game
    deep_cfr            Deep CFR and SD-CFR on a listed game
    unlisted, …_learner … on a compiled game that is never listed
    showdowns, holdem   how strong hands are; hold'em on arrays
    fused_reading, reading_kernel   what a network says of one betting, as one kernel of a GPU
    holdem_policy       strategies on the whole public tree
    board_walks         all hands on a few boards, or on all: public chance sampling
    holdem_learner      Deep CFR and SD-CFR on hold'em
    selfplay            plays side by side
    transitions         what a best response learns from
    fictitious_player   one player of NFSP
    nfsp                NFSP on a listed game
"""
