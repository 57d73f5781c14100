/** Each seed from 1 to this is run without a bug. */
export const RUNS = 500
