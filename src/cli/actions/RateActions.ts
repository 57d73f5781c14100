/** `corridor rates set` */
import { BigDecimal, Effect } from "effect"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { WantedRate } from "../../money/rates/Rates.ts"
import { ApiClient } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { decodeInput, refuse } from "../shared/CommandInput.ts"

const run = onTarget("records")

const textOf = ({ text }: WireNumber): string => text.replace(/\.0$/, "")

const setOne = Effect.fnUntraced(function* ({ from, rate, to }: typeof WantedRate.Type) {
  const { call } = yield* ApiClient
  const { data, message } = yield* call("rates", "set", {
    payload: {
      from_currency: from,
      to_currency: to,
      rate: new WireNumber(toWireText(BigDecimal.normalize(rate)))
    }
  })
  const is = `1 ${data.from_currency} = ${textOf(data.rate)} ${data.to_currency}`
  const before = data.previous_rate === null ? "there was none before" : `it was ${textOf(data.previous_rate)}`
  return { data, text: data.status === "set" ? `${is} (${before}).` : `${is}. ${message}.` }
})

export const set = Effect.fnUntraced(function* ({
  json,
  ...input
}: {
  readonly from: string
  readonly to: string
  readonly rate: string
  readonly json: boolean
}) {
  const wanted = yield* decodeInput(WantedRate, input, { from: "FROM", to: "TO", rate: "RATE" })
  if (wanted.from === wanted.to) return yield* refuse("FROM and TO are the same currency: name two.")
  yield* run(json, setOne(wanted))
})
