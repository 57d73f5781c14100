/** A request that did not go through, in words for whoever sits before the page. */

export class Problem extends Error {
  /** 0: there was no answer. */
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
  401: "This does not sign you in",
  403: "Your role does not allow this",
  404: "Not found",
  409: "Not possible as things stand",
  422: "No provider serves this",
  429: "Too many requests",
  502: "Every provider declined",
  503: "The service is busy"
}

export const titleOf = ({ status }: Problem): string =>
  titles[status] ?? (status >= 500 ? "Something went wrong" : "This cannot be done")

/** When a request is sent once more by itself: where the service asks for a moment, and nothing can be done twice. */

const MAX_RETRY_DELAY = 5

/** Sent again, it does nothing that it had not done: with a key the service sees to that. */
const isRepeatable = (method: string, keyed: boolean): boolean => keyed || (method !== "POST" && method !== "PATCH")

/** In seconds. A request that there were too many of has done nothing; of one that is put off nobody may know. */
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
}

export const nextCursor = (page: ListPage<unknown>): string | undefined =>
  page.last_evaluated_key ?? page.lastEvaluatedKey ?? undefined

/** A list from its first page to its last, or as far as there is enough. */
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
