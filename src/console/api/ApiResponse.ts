/** Failures and lists of the API, as the console shows them. */
import { nextPage, type PageOf } from "../../client/RequestRules.ts"

/** Failed request, with a message for the user. */
export class Problem extends Error {
  /** HTTP status; 0: no answer. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const isOfService = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "status" in body && body.status === "error"

/** 0 for a 5xx of a proxy: it is no answer of the service, which may have done what was asked. */
export const answeredStatus = ({ body, status }: { readonly status: number; readonly body: unknown }): number =>
  status >= 500 && !isOfService(body) ? 0 : status

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

/** Seconds of a Retry-After; longer waits are left to the user. */
export const LONGEST_WAIT = 5

export interface ListPage<A> extends PageOf<A> {
  readonly meta?: { readonly count: number; readonly searched_to?: string | null }
}

/** URL parameters of a page; empty: the first. */
export type Cursor = Readonly<Record<string, string>>

/** Reads pages to the end of a list, or until there are enough items, which is asked after each page. */
export const readAllPages = async <A>(
  ask: (cursor: Cursor) => Promise<ListPage<A>>,
  isEnough: (items: ReadonlyArray<A>) => boolean = () => false
): Promise<ReadonlyArray<A>> => {
  let items: ReadonlyArray<A> = []
  let cursor: Cursor | undefined = {}
  do {
    const page: ListPage<A> = await ask(cursor)
    items = [...items, ...page.data]
    cursor = nextPage(page)
  } while (!isEnough(items) && cursor !== undefined)
  return items
}
