/** Lists from their first page to their last, whichever name their cursor has. */
import { Chunk, Effect, Option, Stream } from "effect"

export interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly last_evaluated_key?: string | null
  readonly lastEvaluatedKey?: string | null
}

/** What asks for the page after this one; nothing on the last. */
export const afterPage = (page: Omit<PageOf<unknown>, "data">): Option.Option<Readonly<Record<string, string>>> => {
  if (typeof page.last_evaluated_key === "string") return Option.some({ last_evaluated_key: page.last_evaluated_key })
  if (typeof page.lastEvaluatedKey === "string") return Option.some({ lastEvaluatedKey: page.lastEvaluatedKey })
  return Option.none()
}

/** Every item of a list: `allPages(corridor.payments.transactions, { urlParams: { limit: 100 } })`. */
export const allPages = <Request extends { readonly urlParams: object }, A, E, R>(
  list: (request: Request) => Effect.Effect<PageOf<A>, E, R>,
  request: Request
): Stream.Stream<A, E, R> =>
  Stream.paginateChunkEffect({}, (cursor: Readonly<Record<string, string>>) =>
    Effect.map(list({ ...request, urlParams: { ...request.urlParams, ...cursor } }), (page) => [
      Chunk.fromIterable(page.data),
      afterPage(page)
    ])
  )
