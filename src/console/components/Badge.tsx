import { labelOf } from "../state/Display.ts"

type Tone = "good" | "busy" | "warn" | "bad" | "calm" | "odd"

const tones: Readonly<Record<string, Tone>> = {
  completed: "good",
  delivered: "good",
  active: "good",
  accepted: "good",
  paid: "good",
  funded: "good",
  disbursed: "good",
  closed: "good",
  approved: "good",
  processing: "busy",
  confirmed: "busy",
  reviewed: "busy",
  contract_submitted: "busy",
  initiated: "warn",
  pending: "warn",
  open: "warn",
  "half-open": "warn",
  expiring: "warn",
  partially_funded: "warn",
  unknown: "warn",
  frozen: "warn",
  suspense: "warn",
  unknown_outcome: "warn",
  review: "busy",
  failed: "bad",
  rejected: "bad",
  dead: "bad",
  declined: "bad",
  dead_letter: "bad",
  disabled_endpoint: "bad",
  escrow_payout: "bad",
  reversed: "odd",
  refunded: "odd"
}

export const toneOf = (status: string): Tone => tones[status] ?? "calm"

/** `words` replaces the label of the status. */
export const Badge = ({
  status,
  tone,
  words
}: {
  readonly status: string
  readonly tone?: Tone
  readonly words?: string
}) => <span class={`badge ${tone ?? toneOf(status)}`}>{words ?? labelOf(status)}</span>

interface BadgeFilterProps<Status extends string> {
  readonly label: string
  /** Undefined: all. */
  readonly options: ReadonlyArray<Status | undefined>
  readonly chosen: Status | undefined
  readonly choose: (status: Status | undefined) => void
}

/** Chooses one status of a list, or all. */
export const BadgeFilter = <Status extends string>({ choose, chosen, label, options }: BadgeFilterProps<Status>) => (
  <div class="views" role="group" aria-label={label}>
    {options.map((one) => (
      <button key={one ?? ""} class="chip" type="button" aria-pressed={chosen === one} onClick={() => choose(one)}>
        {one === undefined ? "All" : <Badge status={one} />}
      </button>
    ))}
  </div>
)
