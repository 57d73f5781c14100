/** One page of a list under /organizations: the same page, its cursor under another name. */
import { Effect } from "effect"
import { paginate } from "./Page.ts"

interface Asked {
  readonly limit: number
  readonly lastEvaluatedKey?: string | undefined
}

type Options<Row extends { readonly created_at: Date }, R> = Omit<
  Parameters<typeof paginate<Row, R>>[0],
  "asked" | "cursorName"
> & { readonly asked: Asked }

export const paginateCamel = <Row extends { readonly created_at: Date }, R>({ asked, ...rest }: Options<Row, R>) =>
  paginate<Row, R>({
    ...rest,
    asked: { limit: asked.limit, last_evaluated_key: asked.lastEvaluatedKey },
    cursorName: "lastEvaluatedKey"
  }).pipe(
    Effect.map(({ data, last_evaluated_key: lastEvaluatedKey, meta: { count, has_more } }) => ({
      data,
      meta: { count, has_more, lastEvaluatedKey },
      lastEvaluatedKey
    }))
  )
