/** A bug that somebody might make, planted into the service from outside: a service or a store is wrapped as it is built. */

// A wrapper is written for one service, and kept beside those of others.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Wrap = (service: any) => any

/** Wrappers by the key of the service's tag. */
export type Planted = ReadonlyMap<string, Wrap>

export interface Bug {
  readonly name: string
  /** What a person would have written. */
  readonly about: string
  readonly planted: Planted
  /** The first seed, counted from 1, that shows it. */
  readonly foundBy: number
}

export const nothingPlanted: Planted = new Map()
