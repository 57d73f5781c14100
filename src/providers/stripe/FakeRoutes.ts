/** What all routes of the fake of Stripe share: who may call them, and what is answered to a key that comes again. */
import { Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { FakeReply, FakeRequest, FakeRoute } from "../fakes/Fake.ts"
import { refused } from "./FakeForms.ts"
import { moneyIn } from "./StripeRequests.ts"

export const credentials = { secret_key: "sk_test_fake_of_corridor", webhook_secret: "whsec_fake_of_corridor" }

export const ok = (body: unknown): FakeReply => ({ status: 200, body })

export const wrong = (status: number, message: string, code?: string): FakeReply =>
  refused(status, { type: "invalid_request_error", message, ...(code === undefined ? {} : { code }) })

export const missing = (id: string): FakeReply => wrong(404, `No such object: '${id}'`, "resource_missing")

export const moneyOf = (amount: unknown, currency: unknown): Money | undefined =>
  typeof amount === "string" && typeof currency === "string"
    ? Option.getOrUndefined(moneyIn(amount, currency))
    : undefined

/** A key is as good as forgotten only a day later, which no fake lives to see. */
export const remembering = () => {
  const known = new Map<string, { readonly body: string; readonly reply: FakeReply }>()
  return (request: FakeRequest, run: () => FakeReply): FakeReply => {
    const key = request.headers["idempotency-key"]
    if (key === undefined) return run()
    const name = `${request.path} ${key}`
    const before = known.get(name)
    if (before === undefined) {
      const reply = run()
      known.set(name, { body: request.body, reply })
      return reply
    }
    return before.body === request.body
      ? { ...before.reply, headers: { "idempotent-replayed": "true" } }
      : refused(400, {
          type: "idempotency_error",
          message: "The key was used before, with other parameters."
        })
  }
}

const isOurs = ({ headers }: FakeRequest): boolean => headers["authorization"] === `Bearer ${credentials.secret_key}`

/** Stripe knows who asks before it looks at what is asked. */
export const guarded = (route: FakeRoute): FakeRoute => ({
  ...route,
  answer: (request, fate) => (isOurs(request) ? route.answer(request, fate) : wrong(401, "The key is not valid."))
})
