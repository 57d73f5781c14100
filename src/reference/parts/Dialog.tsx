/** A window over the page: Escape and a click beside it close it, and the focus goes back to where it was. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

interface DialogProps {
  readonly label: string
  readonly kind: string
  readonly close: () => void
  readonly children: ComponentChildren
}

export const Dialog = ({ children, close, kind, label }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => ref.current?.showModal(), [])
  return (
    <dialog
      ref={ref}
      class={kind}
      aria-label={label}
      onClose={close}
      onClick={({ currentTarget, target }) => target === currentTarget && currentTarget.close()}
    >
      <div class="inner">{children}</div>
    </dialog>
  )
}
