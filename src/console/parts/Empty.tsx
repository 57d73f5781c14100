import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./Icon.tsx"

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}

/** Nothing is here, and what to do about it. */
export const Empty = ({ children, icon, title }: Props) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children !== undefined && <div class="muted">{children}</div>}
  </div>
)
