/** Ramps as a caller asks for them, at the rate of the moment. */
import { Effect, Option, Schema } from "effect"
import { InitiateRamp } from "../../../src/contract/api/RampsApi.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { RateQuote } from "../../../src/money/rates/RateQuote.ts"
import { idFrom } from "../../support/AnyId.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { get, type Json, jsonOf } from "./PaymentCalls.ts"
import { onRampIn } from "./Requests.ts"

export const rateOf = (from: string, to: string) =>
  Effect.map(get(`/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}`), (answer) => {
    const { data } = jsonOf(answer) as { readonly data: { readonly rate: number } }
    return data.rate
  })

export const ramp = (body: object, credential?: Credential) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/payments-init/ramp", { ...(credential ?? acme.key) }, body)
    const all = jsonOf(answer)
    const response = (all["response"] ?? all) as Json
    return { status: answer.status, text: answer.text, response, payment_id: idFrom(response["payment_id"]) }
  })

/** Over HTTP. */
export const onRamp = (country: string, about: object = {}) =>
  Effect.flatMap(rateOf("KES", "USDT"), (rate) => ramp({ ...onRampIn(country, rate), ...about }))

const decode = Schema.decodeUnknownSync(InitiateRamp)

/** Request for a service that is called without a server. */
export const onRampRequest = (country: string) =>
  Effect.gen(function* () {
    const { base } = yield* RateQuote
    const rate = Option.getOrThrow(yield* base(CurrencyCode.make("KES"), "USDT"))
    return decode(onRampIn(country, Number(rate.value) / 10 ** rate.scale))
  })
