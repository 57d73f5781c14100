/** The pace of the built-in rails and of the fakes. */
import { Duration } from "effect"

/** A built-in rail completes what it accepted this long after its answer, unless SANDBOX_RAIL_PACE says otherwise. */
export const railCompletion = Duration.seconds(1)

/** A built-in rail that plays a slow provider takes so many times as long for its answer. */
export const railSlowness = 2

/** Callbacks that a built-in rail sends once too often, or too late, follow each other at this part of it. */
export const railStragglerGap = 0.5

/** An account that a built-in rail names for a bank transfer takes the payer's money for this long. */
export const railFundingTime = Duration.minutes(30)

/** A built-in rail fails a payment at this wrong one-time password. */
export const railPasswordAttempts = 5

/** Callbacks of the built-in rails are claimed in batches of this many, and those of a batch delivered at once. */
export const railCallbackBatch = 64

/** A callback that a killed worker had claimed is claimed again after this long. */
export const railCallbackLease = Duration.seconds(10)

/** The callbacks of a batch may take this long; it is well within the lease. */
export const railCallbackTimeout = Duration.seconds(5)

/** The next batch of them is claimed when the last is done, or after this long, while so many are under way. */
export const railRoundPatience = Duration.millis(250)
export const railRounds = 32

/** A callback that was not taken is delivered again after this long. */
export const railCallbackBackOff = Duration.seconds(5)

/** Between two claims the worker rests at least this long, so that callbacks gather into batches under load. */
export const railCallbackRest = Duration.millis(25)

/** A fake of a third party brings what it took to its end after this long, */
export const fakePace = Duration.millis(200)

/** what it reports late after this long, */
export const fakeLateness = Duration.seconds(5)

/** and lets a slow answer drip for this long, which is longer than anybody waits for one. */
export const fakeSlowness = Duration.minutes(1)

/** It takes this long at most until a callback of a fake is answered. */
export const fakeCallbackTimeout = Duration.seconds(5)

/** A callback that was not taken is sent again after so many times a fake's pace, each in turn; then it is given up. */
export const fakeCallbackRetries = [1, 2, 4, 8]
