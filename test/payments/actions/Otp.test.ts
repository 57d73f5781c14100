import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { passwordsResent } from "../../../src/domain/policies/PaymentPolicies.ts"
import { MessageCounts } from "../../../src/platform/notifications/NotificationStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { attemptsOf, callBack, initiate, ofKind, recordOf, timelineOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard, byPhone } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"

const ASKS = "+254712340002"
const asksPassword = accepts({ state: "pending", nextAction: "collect_otp" })

onDatabasePaymentServer(
  "One-time passwords",
  () => ({ providers: [actable("stripe")] }),
  (it, { providers }) => {
    const [stripe] = providers
    if (stripe === undefined) throw new Error("no provider")

    const waiting = Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      stripe.on("otp", asksPassword)
      const initiated = yield* initiate({ ...byCard(), country: "FR", description: "otp" })
      expect(initiated.response).toMatchObject({ status: "pending", next_action: "collect_otp" })
      const [attempt] = yield* attemptsOf(initiated.payment_id)
      return { id: initiated.payment_id, reference: String(attempt?.["attempt_id"]) }
    })

    it.effect("complete a payment at the built-in simulator", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone(ASKS))
        expect(yield* act(payment_id, { action: "resend_otp" })).toMatchObject({
          status: 200,
          response: { status: "pending" }
        })
        const wrong = yield* act(payment_id, { action: "submit_otp", otp: "000000" })
        expect(wrong).toMatchObject({ status: 400, body: { status: "error", code: "OTP_INVALID", payment_id } })
        const right = yield* act(payment_id, { action: "submit_otp", otp: " 123456 " })
        expect(right).toMatchObject({
          status: 200,
          body: { statusCode: 200 },
          response: { success: true, payment_id, status: "processing", next_action: "wait", provider: "fiat" }
        })
        yield* untilStatus(payment_id, "completed")
      })
    )

    it.effect("fail the payment at the fifth wrong one", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone(ASKS))
        for (let n = 1; n <= 5; n++) {
          const answer = yield* act(payment_id, { action: "submit_otp", otp: "999999" })
          expect(answer).toMatchObject({ status: 400, body: { code: "OTP_INVALID" } })
          expect((yield* recordOf(payment_id))["status"]).toBe(n < 5 ? "pending" : "failed")
        }
        const late = yield* act(payment_id, { action: "submit_otp", otp: "123456" })
        expect(late).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
        expect(late.body["message"]).toContain("failed")
        const causes = ofKind(yield* timelineOf(payment_id), "status").map((item) => item["cause"])
        expect(causes.at(-1)).toMatch(/one-time password was wrong too often/)
      })
    )

    it.effect("are counted here, whatever the provider counts, each of them at once too", () =>
      Effect.gen(function* () {
        const { id } = yield* waiting
        stripe.will({ otp: "wrong" })
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => act(id, { action: "submit_otp", otp: "1" })),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
        expect((yield* recordOf(id))["status"]).toBe("pending")
        expect((yield* act(id, { action: "submit_otp", otp: "1" })).status).toBe(400)
        expect((yield* recordOf(id))["status"]).toBe("failed")
      })
    )

    it.effect("that are guessed all at once reach the provider no more often than one after the other", () =>
      Effect.gen(function* () {
        const { id } = yield* waiting
        stripe.will({ otp: "wrong" })
        const before = stripe.passwords.length
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, (_, n) => act(id, { action: "submit_otp", otp: String(n) })),
          { concurrency: "unbounded" }
        )
        expect(stripe.passwords.length - before).toBe(5)
        expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
        expect((yield* recordOf(id))["status"]).toBe("failed")
      })
    )

    it.effect("leave the payment as it is when the provider does not answer", () =>
      Effect.gen(function* () {
        const { id } = yield* waiting
        for (const otp of ["unknown" as const, Effect.die("the adapter broke")]) {
          stripe.will({ otp })
          const answer = yield* act(id, { action: "submit_otp", otp: "123456" })
          expect(answer).toMatchObject({ status: 200, response: { status: "pending", next_action: "collect_otp" } })
        }
        stripe.will({ otp: "not_expected" })
        expect((yield* act(id, { action: "submit_otp", otp: "123456" })).status).toBe(409)
        expect((yield* recordOf(id))["status"]).toBe("pending")
      })
    )

    it.effect("are sent again so many times an hour, then later", () =>
      Effect.gen(function* () {
        const { id } = yield* waiting
        stripe.will({ resend: true })
        const counts = yield* MessageCounts
        yield* Effect.repeat(counts.count(`passwords for ${id}`, passwordsResent), { until: ({ allowed }) => !allowed })
        const answer = yield* act(id, { action: "resend_otp" })
        expect(answer).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } })
        expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/)
        expect((yield* recordOf(id))["status"]).toBe("pending")
      })
    )

    it.effect("do not undo what a callback said meanwhile", () =>
      Effect.gen(function* () {
        const { id, reference } = yield* waiting
        const meanwhile = callBack("stripe", { key: `otp ${reference}`, reference, state: "failed" })
        const services = yield* Effect.context<Effect.Effect.Context<typeof meanwhile>>()
        stripe.will({ otp: Effect.as(Effect.orDie(Effect.provide(meanwhile, services)), "accepted" as const) })
        const answer = yield* act(id, { action: "submit_otp", otp: "123456" })
        expect(answer).toMatchObject({ status: 200, response: { success: false, status: "failed" } })
        expect((yield* recordOf(id))["status"]).toBe("failed")
      })
    )

    it.effect("are asked for only where one is awaited", () =>
      Effect.gen(function* () {
        const { globex } = yield* people
        const { id } = yield* waiting
        expect(yield* act(id, { action: "submit_otp" })).toMatchObject({
          status: 400,
          body: { code: "VALIDATION_ERROR" }
        })
        expect(yield* act(id, { action: "dance" })).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } })
        stripe.will({ resend: false })
        expect((yield* act(id, { action: "resend_otp" })).status).toBe(409)
        stripe.will({ resend: true })
        expect((yield* act(id, { action: "resend_otp" })).status).toBe(200)
        const foreign = yield* act(id, { action: "submit_otp", otp: "1" }, globex.key)
        expect(foreign).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } })
        expect(yield* act("nothing", { action: "cancel" })).toMatchObject({ status: 404, body: foreign.body })
        const { payment_id } = yield* initiate(byPhone())
        const answer = yield* act(payment_id, { action: "submit_otp", otp: "123456" })
        expect(answer).toMatchObject({ status: 409, body: { code: "INVALID_STATE", payment_id } })
      })
    )
  }
)
