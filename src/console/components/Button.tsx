import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"

/** Line icons. Each stands beside text, so screen readers skip it. */
const paths = {
  overview: "M3 13h7V3H3zM14 21h7V11h-7zM14 3v4h7V3zM3 21h7v-4H3z",
  payments: "M3 7h13l-3-3M21 17H8l3 3",
  queue: "M4 5h16v10h-5l-2 3h-2l-2-3H4zM4 15v4h16v-4",
  webhooks: "M12 4a4 4 0 0 1 3.4 6.1L18 15M12 8 8.5 15.5M6 20a4 4 0 1 1 0-8M9 16h9a3 3 0 1 1-2.7 4.4",
  keys: "M15 9a4 4 0 1 0-4.3 4L4 20h4v-3h3v-3l1-1A4 4 0 0 0 15 9",
  members: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21c0-4 3-6 7-6s7 2 7 6M16 3.5a4 4 0 0 1 0 7M18 15c2.5.8 4 2.8 4 6",
  providers: "M12 3v6M12 15v6M5 9h14v6H5zM5 12H2M22 12h-3",
  accounts: "M3 10 12 4l9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 21h18",
  escrow: "M12 3 4 6v6c0 5 3.5 8 8 9 4.5-1 8-4 8-9V6zM9 12l2 2 4-4",
  beneficiary: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21c0-4 3-6 7-6 1.5 0 2.9.3 4 .8M14 19h8M19 16l3 3-3 3",
  organization: "M5 21V3h10v18M15 9h4v12M3 21h18M8.5 7h3M8.5 11h3M8.5 15h3",
  certificate: "M4 3h16v12h-8M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8M6 19v3l2-1 2 1v-3M13 7h4M13 11h4",
  links: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  rules: "M3 5h18l-7 8v6l-4 2v-8z",
  audit: "M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M21 21l-5-5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M4 12l5 5L20 6",
  cross: "M6 6l12 12M18 6 6 18",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  out: "M9 21H4V3h5M15 17l5-5-5-5M20 12H9",
  refresh: "M20 11a8 8 0 1 0-2.3 6M20 5v6h-6",
  play: "M7 4l13 8-13 8z",
  pause: "M8 5v14M16 5v14",
  save: "M6 3h12v18l-6-5-6 5z",
  warn: "M12 4 2 20h20zM12 10v4M12 17v.5",
  money: "M3 6h18v12H3zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 9v.1M18 15v.1",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

interface ButtonProps {
  readonly children: ComponentChildren
  readonly kind?: "primary" | "plain" | "danger" | "caution" | "ghost"
  readonly icon?: IconName
  readonly type?: "button" | "submit"
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick?: () => void
  /** Accessible name where the text alone is ambiguous, as in table rows. */
  readonly label?: string
}

export const Button = ({
  busy = false,
  children,
  disabled,
  icon,
  kind = "plain",
  label,
  onClick,
  type = "button"
}: ButtonProps) => (
  <button
    class={`button ${kind}`}
    type={type}
    disabled={disabled === true || busy}
    aria-busy={busy}
    aria-label={label}
    onClick={onClick}
  >
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </button>
)

const COPIED_SHOWN_FOR = 1500

/** Browsers have a clipboard on HTTPS pages and on localhost only. */
const canCopy = "clipboard" in navigator

/** `what` is for screen readers. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), COPIED_SHOWN_FOR)
  }
  if (!canCopy) return null
  return (
    <button
      class="copy"
      type="button"
      aria-label={done ? `${what} copied` : `Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={done ? "check" : "copy"} />
    </button>
  )
}
