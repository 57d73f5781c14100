/** `corridor fees` */
import { Effect, Option } from "effect"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { FeeTerms } from "../../domain/Fee.ts"
import type { FeeRule } from "../../money/fees/FeeRuleStore.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { type WantedFee, wantedFee } from "../shared/FeeInput.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { permitFor } from "../shared/Operator.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { minute, laidTable } from "../shared/Table.ts"

const shown = ({ fixed, ...rule }: FeeRule) => ({
  ...rule,
  fixed_amount: fixed === null ? null : new WireNumber(toWireText(fixed.toDecimal())),
  fixed_currency: fixed === null ? null : fixed.currency
})

const words = ({ basis_points, fixed }: FeeTerms): string =>
  [...(basis_points === 0 ? [] : [`${basis_points} basis points`]), ...(fixed === null ? [] : [fixed.toString()])].join(
    " plus "
  )

const wordsOr = (rule: Option.Option<FeeRule>, none: string): string =>
  Option.match(rule, { onNone: () => none, onSome: words })

export const setOne = Effect.fn("Cli.setFee")(function* (org: string, subject: WantedFee["subject"], terms: FeeTerms) {
  const fees = yield* Fees
  const { org_id } = yield* organizationNamed(org)
  const { after, before } = yield* fees.set(yield* permitFor("platform"), { ...subject, org_id }, terms)
  const what = `${subject.direction} ${subject.payment_method} payments`
  return {
    data: {
      rule: Option.getOrNull(Option.map(after, shown)),
      previous: Option.getOrNull(Option.map(before, shown))
    },
    text: `${what}: ${wordsOr(after, "no fee")} (before: ${wordsOr(before, "no fee")}).`
  }
})

export const set = Effect.fnUntraced(function* ({
  json,
  org,
  ...input
}: Parameters<typeof wantedFee>[0] & { readonly org: string; readonly json: boolean }) {
  const { subject, terms } = yield* wantedFee(input)
  yield* onRecords(json, setOne(org, subject, terms))
})

export const listAll = Effect.fn("Cli.listFees")(function* (org: Option.Option<string>) {
  const fees = yield* Fees
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(organizationNamed(id), ({ org_id }) => org_id))
  const rules = yield* fees.list(yield* permitFor("platform", scope))
  const rows = rules.map((rule) => [
    rule.org_id,
    rule.payment_method,
    rule.direction,
    String(rule.basis_points),
    rule.fixed === null ? null : rule.fixed.toString(),
    minute(rule.updated_at)
  ])
  const titles = ["ORGANISATION", "METHOD", "DIRECTION", "BASIS POINTS", "FIXED", "SET"]
  return { data: rules.map(shown), ...laidTable(titles, rows, 'No fees here: "corridor fees set" sets one.') }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onRecords(input.json, listAll(input.org))
