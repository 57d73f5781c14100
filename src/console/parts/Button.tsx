import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./Icon.tsx"

interface Props {
  readonly children: ComponentChildren
  readonly kind?: "primary" | "plain" | "danger" | "caution" | "ghost"
  readonly icon?: IconName
  readonly type?: "button" | "submit"
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick?: () => void
  /** Where the words alone do not say what it is about, as in the rows of a table. */
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
}: Props) => (
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
