/** What all routes of the fake of Adyen share: who may call them, and what is answered to a key that comes again. */
import { Either, Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { FakeReply, FakeRequest, FakeRoute } from "../fakes/Fake.ts"
import { readJson } from "../port/WireValues.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { type Refuse } from "./FakeBodies.ts"

type Amount = Parameters<typeof moneyIn>[0]

export const amountIn = ({ body }: FakeRequest): Money | undefined => {
  const json = Either.getOrUndefined(readJson(body)) as { readonly amount?: Partial<Amount> } | undefined
  const { currency, value } = json?.amount ?? {}
  return typeof currency === "string" && typeof value === "string"
    ? Option.getOrUndefined(moneyIn({ currency, value }))
    : undefined
}

export const tooSmall = (refuse: Refuse): FakeReply => refuse(422, "100", "The amount is not valid.", "validation")

/** The first answer is given again, whatever is sent with the key. */
export const remembering = () => {
  const known = new Map<string, FakeReply>()
  return ({ headers, path }: FakeRequest, run: () => FakeReply): FakeReply => {
    const key = headers["idempotency-key"]
    const reply = known.get(`${path} ${key}`) ?? run()
    if (key === undefined) return reply
    known.set(`${path} ${key}`, reply)
    return { ...reply, headers: { "idempotency-key": key } }
  }
}

export const guarded =
  (key: string, refuse: Refuse) =>
  (route: FakeRoute): FakeRoute => ({
    ...route,
    answer: (request, fate) =>
      request.headers["x-api-key"] === key
        ? route.answer(request, fate)
        : refuse(401, "000", "HTTP Status Response - Unauthorized", "security")
  })

export const below =
  (prefix: string) =>
  (route: FakeRoute): FakeRoute => ({ ...route, path: `${prefix}${route.path}` })
