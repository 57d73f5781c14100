/** A whole list, page by page. */
import { Effect, Option } from "effect"
import type { Window } from "../../platform/database/Window.ts"

const PAGE = 500

export const allPages = <Row extends { readonly created_at: Date }, E, R>(
  fetch: (window: Window) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  idOf: (row: Row) => string,
  after: Window["after"] = Option.none()
): Effect.Effect<ReadonlyArray<Row>, E, R> =>
  Effect.flatMap(fetch({ after, take: PAGE }), (rows) => {
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return Effect.succeed(rows)
    const position = [last.created_at.toISOString(), idOf(last)] as const
    return Effect.map(allPages(fetch, idOf, Option.some(position)), (rest) => [...rows, ...rest])
  })
