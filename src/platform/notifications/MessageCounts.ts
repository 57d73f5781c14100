/** How many messages went out in this hour, so that nobody is flooded with them and no organisation floods others. */
import { Context } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export type Counted = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }

interface Store {
  /** Counts one more under this name, unless there are as many as allowed; windows that are over are forgotten. */
  readonly count: (name: string, most: number) => Stored<Counted>
}

export class MessageCounts extends Context.Tag("corridor/MessageCounts")<MessageCounts, Store>() {}
