/** What every route of the fake of Paystack goes by: who is let in, what a body moves, and how its answers look. */
import { Either, Option } from "effect"
import { Money } from "../../domain/Money.ts"
import type { FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import type { Fate } from "../fakes/Magic.ts"
import { answer, fine, moneyIn, refusal } from "./FakeBodies.ts"

export const credentials = { secret_key: "sk_test_corridor_fake" } as const

const isOurs = ({ headers }: FakeRequest): boolean => headers.authorization === `Bearer ${credentials.secret_key}`

export const guarded =
  (answered: (request: FakeRequest, fate: Fate) => FakeReply): FakeRoute["answer"] =>
  (request, fate) =>
    isOurs(request) ? answered(request, fate) : answer(401, { status: false, message: "Invalid key" })

type Reader<A> = (request: FakeRequest) => Either.Either<A, FakeReply>

/** A route that answers to a body of its shape, and else says what is wrong with it. */
export const reading = <A>(read: Reader<A>, answered: (body: A, fate: Fate) => FakeReply): FakeRoute["answer"] =>
  guarded((request, fate) => Either.merge(Either.map(read(request), (body) => answered(body, fate))))

/** What a body asks to be moved; a body that is refused for its looks moves nothing. */
export const movedBy =
  <A extends { readonly amount?: string | undefined; readonly currency?: string | undefined }>(
    read: Reader<A>
  ): NonNullable<FakeRoute["moves"]> =>
  (request) =>
    Option.getOrUndefined(
      Option.flatMap(Either.getRight(read(request)), ({ amount, currency }) =>
        isOurs(request) && amount !== undefined && currency !== undefined
          ? Option.some(moneyIn(amount, currency))
          : Option.none()
      )
    )

export const duplicate = refusal("Duplicate Transaction Reference", "duplicate_reference")

/** It has other words for the reference of a transfer. */
export const duplicateTransfer = refusal(
  "Please provide a unique reference. Reference already exists on a transfer",
  "duplicate_transfer_reference"
)

export const found = (
  entry: Entry | undefined,
  message: string,
  shape: (entry: Entry) => unknown,
  missing: string
): FakeReply => (entry === undefined ? refusal(missing, "transaction_not_found", 404) : fine(message, shape(entry)))

/** What is refused by the customer's bank is kept all the same. */
export const failedAtOnce = (
  { books, now }: FakeWorld,
  order: Pick<Entry, "id" | "reference" | "kind" | "kept">,
  money: Money,
  fate: Fate
): Entry =>
  books.open({
    ...order,
    asked: money,
    fate,
    state: "failed",
    moved: Money.zero(money.currency),
    takenBack: 0n,
    reason: "Insufficient Funds",
    createdAt: now(),
    of: null
  }).entry
