/** `corridor rates set` by API. */
import { Effect } from "effect"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { WireNumber } from "../../domain/Decimal.ts"
import { refuse } from "../shared/CommandInput.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

const DECIMAL = /^\d{1,18}(\.\d{1,30})?$/

/** The codes are judged by the server. */
const setOne = Effect.fnUntraced(function* (from: string, to: string, rate: string) {
  const { call } = yield* Calls
  const { data, message } = yield* call("rates", "set", {
    payload: {
      from_currency: from as AnyCurrencyCode,
      to_currency: to as AnyCurrencyCode,
      rate: new WireNumber(rate.includes(".") ? rate : `${rate}.0`)
    }
  })
  const is = `1 ${data.from_currency} = ${rate} ${data.to_currency}`
  return { data, text: data.status === "set" ? `${is}.` : `${is}. ${message}.` }
})

export const set = (input: {
  readonly from: string
  readonly to: string
  readonly rate: string
  readonly json: boolean
}) =>
  DECIMAL.test(input.rate)
    ? onApi(input.json, setOne(input.from, input.to, input.rate))
    : Effect.fail(refuse("RATE is not a decimal number such as 129.35."))
