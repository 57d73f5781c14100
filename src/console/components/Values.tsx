import { type Amount, amountText } from "../api/Amount.ts"
import { agoText, exactTime, shortTime, shortId } from "../state/Display.ts"
import { CopyButton } from "./Button.tsx"
import { stringify } from "lossless-json"
import type { ComponentChildren } from "preact"

interface MoneyProps {
  readonly amount: Amount
  readonly currency: string | null
}

/** Tabular digits, so that amounts in a column line up. */
export const Money = ({ amount, currency }: MoneyProps) => (
  <span class="money">
    {amountText(amount)} <span class="currency">{currency}</span>
  </span>
)

/** Short time; the exact one is the tooltip. */
export const Time = ({ at, relative = false }: { readonly at: string; readonly relative?: boolean }) => (
  <time dateTime={at} title={exactTime(at)}>
    {relative ? agoText(at) : shortTime(at)}
  </time>
)

interface CopyableIdProps {
  readonly id: string
  readonly what: string
  readonly whole?: boolean
}

export const CopyableId = ({ id, what, whole = false }: CopyableIdProps) => (
  <span class="with-copy">
    <code class="id" title={id}>
      {whole ? id : shortId(id)}
    </code>
    <CopyButton text={id} what={what} />
  </span>
)

/** Focusable, because it may scroll. */
export const Json = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <pre class="json" tabIndex={0} role="region" aria-label={name}>
    {typeof value === "string" ? value : stringify(value, undefined, 2)}
  </pre>
)

type Detail = readonly [name: string, value: ComponentChildren]

/** Leaves out empty values. */
export const DetailList = ({ facts }: { readonly facts: ReadonlyArray<Detail> }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

interface ProgressBarProps {
  readonly name: string
  /** From 0 to 100. */
  readonly percent: number
  readonly tone?: "good" | "busy" | "warn" | "bad"
}

export const ProgressBar = ({ name, percent, tone = "busy" }: ProgressBarProps) => (
  <div class={`bar ${tone}`} role="img" aria-label={`${name}: ${Math.round(percent)} %`}>
    <svg viewBox="0 0 100 1" preserveAspectRatio="none">
      <rect width={percent} height="1" />
    </svg>
  </div>
)
