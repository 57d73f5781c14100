/** `corridor rates list` */
import { BigDecimal, Effect, Option } from "effect"
import { fromPlainText, toWireText, WireNumber } from "../../domain/Decimal.ts"
import { Rates } from "../../money/rates/Rates.ts"
import type { StoredRate } from "../../money/rates/RateStore.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { minute, tableLayout } from "../shared/Table.ts"

/** The exact decimal as a JSON number, as the API writes it. */
const wire = (text: string) => new WireNumber(toWireText(BigDecimal.normalize(Option.getOrThrow(fromPlainText(text)))))

const shown = <A extends Pick<StoredRate, "rate">>(rate: A) => ({ ...rate, rate: wire(rate.rate) })

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
