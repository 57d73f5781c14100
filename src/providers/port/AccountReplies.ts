/** Shared by adapters that issue account details: reads refusals, and lists to their end. */
import { Effect } from "effect"
import { MaybeIssued, NotIssued, NotListed } from "./AccountIssuer.ts"
import type { CallFailed, ProviderReply } from "../client/ProviderHttp.ts"

/** Statuses after which the same request may succeed later. */
const isTemporary = ({ status }: ProviderReply): boolean =>
  status === 401 || status === 403 || status === 409 || status === 429 || status >= 500 || status < 400

/** An answer that brings no details. Only a definite refusal lets another provider be asked. */
export const notMade = (reply: ProviderReply, said: string | undefined): NotIssued | MaybeIssued => {
  const reason = said === undefined ? `HTTP ${reply.status}` : `HTTP ${reply.status}: ${said}`
  return isTemporary(reply) ? new MaybeIssued({ reason }) : new NotIssued({ reason })
}

export const unanswered = ({ reason }: CallFailed): MaybeIssued => new MaybeIssued({ reason })

const MOST_PAGES = 200

interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

/** Every item of a list. Fails rather than leave some out. */
export const listAll = <A>(
  page: (from: string | null) => Effect.Effect<Page<A>, { readonly reason: string }>
): Effect.Effect<ReadonlyArray<A>, NotListed> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let from: string | null = null
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const read: Page<A> = yield* page(from)
      all.push(...read.items)
      if (read.next === null) return all
      from = read.next
    }
    return yield* Effect.fail({ reason: `the list has more than ${MOST_PAGES} pages` })
  }).pipe(Effect.mapError(({ reason }) => new NotListed({ reason })))
