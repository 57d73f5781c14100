/** A provider configuration as the audit log tells of it: plain values, amounts as exact decimal text. */
import { BigDecimal, Option } from "effect"
import { toPlainText } from "../../domain/Decimal.ts"
import type { WholeConfig } from "./ProviderConfigStore.ts"

type Settled = Omit<WholeConfig, "config_id">
type Told = Readonly<Record<keyof Settled, string | number | boolean | null>>

const textOf = (amount: BigDecimal.BigDecimal | null): string | null =>
  amount === null ? null : toPlainText(BigDecimal.normalize(amount))

export const describeConfig = (config: Settled): Told => ({
  provider: config.provider,
  country: config.country,
  payment_method: config.payment_method,
  direction: config.direction,
  org_id: config.org_id,
  api_version: config.api_version,
  priority: config.priority,
  is_active: config.is_active,
  webhook_required: config.webhook_required,
  min_amount: textOf(config.min_amount),
  max_amount: textOf(config.max_amount),
  description: config.description,
  webhook_url: config.webhook_url
})

/** The fields that differ, before and after; none when nothing does. */
export const changesBetween = (
  before: Settled,
  after: Settled
): Option.Option<{ readonly old: Partial<Told>; readonly new: Partial<Told> }> => {
  const was = describeConfig(before)
  const is = describeConfig(after)
  const differing = (Object.keys(was) as ReadonlyArray<keyof Told>).filter((field) => was[field] !== is[field])
  const only = (told: Told): Partial<Told> => Object.fromEntries(differing.map((field) => [field, told[field]]))
  return differing.length === 0 ? Option.none() : Option.some({ old: only(was), new: only(is) })
}
