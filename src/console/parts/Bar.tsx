interface Props {
  readonly name: string
  /** From 0 to 100. */
  readonly percent: number
  readonly tone?: "good" | "busy" | "warn" | "bad"
}

export const Bar = ({ name, percent, tone = "busy" }: Props) => (
  <div class={`bar ${tone}`} role="img" aria-label={`${name}: ${Math.round(percent)} %`}>
    <svg viewBox="0 0 100 1" preserveAspectRatio="none">
      <rect width={percent} height="1" />
    </svg>
  </div>
)
