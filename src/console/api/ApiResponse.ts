/** Failed request, with a message for the user. */

export class Problem extends Error {
  /** HTTP status; 0: no answer. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, body: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.body = body
  }
}

const titles: Readonly<Record<number, string>> = {
  0: "The service cannot be reached",
  401: "Sign-in failed",
  403: "Your role does not allow this",
  404: "Not found",
  409: "Conflict with the current state",
  422: "No provider available",
  429: "Too many requests",
  502: "All providers declined",
  503: "The service is busy"
}

export const titleOf = ({ status }: Problem): string =>
  titles[status] ?? (status >= 500 ? "Something went wrong" : "Request rejected")

/** Seconds; longer waits are left to the user. */
const MAX_RETRY_DELAY = 5

/** Repeating it has no further effect; for keyed requests the service ensures that. */
const isRepeatable = (method: string, keyed: boolean): boolean => keyed || (method !== "POST" && method !== "PATCH")

/** Seconds until one automatic retry; undefined: none. A 429 did nothing; a 503 may have had an effect. */
export const retryDelay = (
  { headers, status }: Pick<Response, "headers" | "status">,
  method: string,
  keyed: boolean
): number | undefined => {
  if (status !== 429 && !(status === 503 && isRepeatable(method, keyed))) return undefined
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return seconds <= MAX_RETRY_DELAY ? seconds : undefined
}

export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly last_evaluated_key?: string | null
  readonly lastEvaluatedKey?: string | null
  readonly meta?: { readonly count: number; readonly searched_to?: string | null }
}

export const nextCursor = (page: ListPage<unknown>): string | undefined =>
  page.last_evaluated_key ?? page.lastEvaluatedKey ?? undefined

/** Reads pages to the end of a list, or until there are enough items. */
export const readAllPages = async <A>(
  ask: (cursor: string | undefined) => Promise<ListPage<A>>,
  isEnough: (items: ReadonlyArray<A>) => boolean = () => false
): Promise<ReadonlyArray<A>> => {
  let items: ReadonlyArray<A> = []
  let cursor: string | undefined
  do {
    const page = await ask(cursor)
    items = [...items, ...page.data]
    cursor = nextCursor(page)
  } while (cursor !== undefined && !isEnough(items))
  return items
}
