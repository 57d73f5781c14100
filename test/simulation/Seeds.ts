/** Each seed from 1 to this is run without a bug. */
export const RUNS = 2000

/** Seeds that show a fault of the service, until it is mended: each must still show it, so that none stays here for longer. */
export const knownFaults: ReadonlyMap<number, string> = new Map()
