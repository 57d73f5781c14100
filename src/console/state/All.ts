/** A whole list, for a field that offers what is in it. */
import { type Loaded, useLoad } from "./Load.ts"
import { type Page, readOn } from "./ReadOn.ts"

/** Nobody looks through more of them; the newest come first. */
export const MOST_OFFERED = 2000

export const useAll = <A>(
  ask: (
    page: { readonly limit: number; readonly last_evaluated_key: string | undefined },
    signal: AbortSignal
  ) => Promise<Page<A>>,
  about: ReadonlyArray<unknown>
): Loaded<ReadonlyArray<A>> =>
  useLoad(
    (signal) =>
      readOn(
        (last_evaluated_key) => ask({ limit: 100, last_evaluated_key }, signal),
        ({ length }) => length >= MOST_OFFERED
      ),
    about
  )
