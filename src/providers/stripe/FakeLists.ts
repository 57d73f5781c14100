/** How the fake of Stripe finds what it holds: in lists by time, and by our reference. */
import type { FakeReply } from "../fakes/Fake.ts"
import type { Entry, FakeBooks } from "../fakes/FakeBooks.ts"
import { ok } from "./FakeRoutes.ts"

export const newestFirst = (books: FakeBooks, kind: Entry["kind"]): ReadonlyArray<Entry> =>
  books
    .all()
    .filter((entry) => entry.kind === kind)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())

export const list = (
  path: string,
  entries: ReadonlyArray<Entry>,
  query: URLSearchParams,
  show: (entry: Entry) => unknown
): FakeReply => {
  const after = query.get("starting_after")
  const from = after === null ? 0 : entries.findIndex(({ id }) => id === after) + 1
  const limit = Number(query.get("limit") ?? "10")
  const page = entries.slice(from, from + limit)
  return ok({ object: "list", url: path, has_more: from + limit < entries.length, data: page.map(show) })
}

export const madeBetween = (query: URLSearchParams) => {
  const bound = (name: string, otherwise: number) => Number(query.get(`created[${name}]`) ?? otherwise)
  const [from, until] = [bound("gte", 0), bound("lte", Number.MAX_SAFE_INTEGER)]
  return ({ createdAt }: Entry): boolean => {
    const at = Math.floor(createdAt.getTime() / 1000)
    return from <= at && at <= until
  }
}

export const named = (books: FakeBooks, query: URLSearchParams): ReadonlyArray<Entry> => {
  const reference = /^metadata\['reference'\]:'([^']*)'$/.exec(query.get("query") ?? "")?.[1]
  return newestFirst(books, "payin").filter((entry) => entry.reference === reference)
}
