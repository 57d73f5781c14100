/** `corridor rates` */
import { BigDecimal, Effect, Option } from "effect"
import { RATE_PROPOSED } from "../../contract/api/Rates.ts"
import { fromPlainText, toWireText, WireNumber } from "../../domain/Decimal.ts"
import { Rates, WantedRate } from "../../money/rates/Rates.ts"
import type { StoredRate } from "../../money/rates/RateStore.ts"
import { decodeInput, refuse } from "../shared/CommandInput.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { minute, tableLayout } from "../shared/Table.ts"

/** The exact decimal as a JSON number, as the API writes it. */
const wire = (text: string) => new WireNumber(toWireText(BigDecimal.normalize(Option.getOrThrow(fromPlainText(text)))))

const shown = <A extends Pick<StoredRate, "rate">>(rate: A) => ({ ...rate, rate: wire(rate.rate) })

const names = { from: "FROM", to: "TO", rate: "RATE" }

const setOne = Effect.fn("Cli.setRate")(function* (wanted: typeof WantedRate.Type) {
  const rates = yield* Rates
  const { previous_rate, ...data } = yield* rates.set(yield* permitFor("platform"), wanted)
  const before = previous_rate === null ? "there was none before" : `it was ${previous_rate}`
  const is = `1 ${data.from_currency} = ${data.rate} ${data.to_currency}`
  return {
    data: { ...shown(data), previous_rate: previous_rate === null ? null : wire(previous_rate) },
    text: data.status === "set" ? `${is} (${before}).` : `${is}. ${RATE_PROPOSED}.`
  }
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
  const wanted = yield* decodeInput(WantedRate, input, names)
  if (wanted.from === wanted.to) return yield* refuse("FROM and TO are the same currency: name two.")
  yield* onRecords(json, setOne(wanted))
})

const listAll = Effect.gen(function* () {
  const rates = yield* Rates
  const all = yield* rates.list(yield* permitFor("platform"))
  const proposed = yield* rates.proposals(yield* permitFor("platform"))
  const rows = all.map((rate) => [rate.from_currency, rate.to_currency, rate.rate, minute(rate.updated_at), ""])
  const waiting = proposed.map((one) => [
    one.from_currency,
    one.to_currency,
    one.rate,
    minute(one.proposed_at),
    `proposed by ${one.proposed_by}`
  ])
  return {
    data: [
      ...all.map((rate) => ({ ...shown(rate), status: "set" })),
      ...proposed.map((rate) => ({ ...shown(rate), status: "proposed" }))
    ],
    ...tableLayout(
      ["FROM", "TO", "RATE", "SET", "STATUS"],
      [...rows, ...waiting],
      'No rates yet: "corridor rates set FROM TO RATE" sets one.'
    )
  }
})

export const list = (input: { readonly json: boolean }) => onRecords(input.json, listAll)
