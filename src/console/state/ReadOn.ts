export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly last_evaluated_key?: string | null
  readonly lastEvaluatedKey?: string | null
}

export const nextOf = (page: Page<unknown>): string | undefined =>
  page.last_evaluated_key ?? page.lastEvaluatedKey ?? undefined

/** A list from its first page to its last, or as far as there is enough. */
export const readOn = async <A>(
  ask: (cursor: string | undefined) => Promise<Page<A>>,
  isEnough: (items: ReadonlyArray<A>) => boolean = () => false
): Promise<ReadonlyArray<A>> => {
  let items: ReadonlyArray<A> = []
  let cursor: string | undefined
  do {
    const page = await ask(cursor)
    items = [...items, ...page.data]
    cursor = nextOf(page)
  } while (cursor !== undefined && !isEnough(items))
  return items
}
