/** The fake's transfers, which live at an address of their own. */
import { Either } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Fate } from "../fakes/Magic.ts"
import { NewTransfer, taken, transferError } from "./FakeBodies.ts"
import { amountIn, below, guarded, remembering, tooSmall } from "./FakeRoutes.ts"
import { credentials, pspOf, shownAmount, transferOf } from "./FakeShown.ts"

const newTransfer = taken(NewTransfer, transferError)

export const transfers = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world
  const once = remembering()

  const create = (request: FakeRequest, fate: Fate): FakeReply =>
    Either.merge(
      Either.map(
        newTransfer(request.body),
        ({ balanceAccountId, counterparty, reference = sha256Hex(request.body) }) => {
          const money = amountIn(request)
          if (balanceAccountId !== credentials.balance_account) {
            return transferError(422, "30_031", "The balance account was not found.")
          }
          if (money === undefined) return tooSmall(transferError)
          const id = pspOf(reference)
          if (fate === "declined_instrument" || fate === "declined_provider") {
            const reason = fate === "declined_provider" ? "notEnoughBalance" : "counterpartyAccountClosed"
            const refused = {
              id,
              amount: shownAmount(money),
              category: "bank",
              counterparty,
              reference,
              reason,
              status: "refused"
            }
            return { status: 200, body: refused }
          }
          const entry = world.take({ id, reference, kind: "payout", money, kept: { counterparty } })
          return { status: 202, body: transferOf(entry) }
        }
      )
    )

  const find = ({ query }: FakeRequest): FakeReply => {
    const [since, until] = [query.get("createdSince"), query.get("createdUntil")]
    if (since === null || until === null)
      return transferError(422, "30_033", "createdSince and createdUntil are required.")
    if (query.get("balanceAccountId") !== credentials.balance_account) {
      return transferError(422, "30_031", "The balance account was not found.")
    }
    const data = books
      .all()
      .filter(
        ({ createdAt, kind }) => kind === "payout" && new Date(since) <= createdAt && createdAt <= new Date(until)
      )
      .filter(({ reference }) => query.get("reference") === null || query.get("reference") === reference)
    return { status: 200, body: { data: data.map(transferOf), _links: {} } }
  }

  return [
    {
      method: "POST",
      path: "/transfers",
      moves: amountIn,
      answer: (request: FakeRequest, fate: Fate) => once(request, () => create(request, fate))
    },
    { method: "GET", path: "/transfers", answer: find },
    {
      method: "GET",
      path: "/transfers/:id",
      answer: ({ params }: FakeRequest) => {
        const entry = books.byId(params["id"] ?? "")
        return entry?.kind === "payout"
          ? { status: 200, body: transferOf(entry) }
          : transferError(404, "30_032", "The transfer was not found.")
      }
    }
  ]
    .map(guarded(credentials.transfers_api_key, transferError))
    .map(below("/btl/v4"))
}
