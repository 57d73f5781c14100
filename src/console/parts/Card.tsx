import type { ComponentChildren } from "preact"

interface Props {
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const Card = ({ actions, children, note, title }: Props) => (
  <section class="card">
    <header>
      <h2>{title}</h2>
      {note !== undefined && <p class="muted">{note}</p>}
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
)
