import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  readonly wide?: boolean
}

/** The browser's own: it keeps the keyboard within, closes by Escape and gives the focus back. */
export const Dialog = ({ children, onClose, title, wide = false }: Props) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    // It would begin at the cross, which nobody has come for.
    dialog?.querySelector<HTMLElement>("form :is(input, select, textarea)")?.focus()
    return () => dialog?.close()
  }, [])
  // That it has closed is told a moment later, when it may have been opened again: Escape counts at once, and only once.
  const onEscape = (event: Event) => {
    if (event.target !== box.current) return
    event.preventDefault()
    box.current?.close()
    onClose()
  }
  const onClosed = () => {
    if (box.current !== null) onClose()
  }
  const look = wide ? "dialog wide-dialog" : "dialog"
  return (
    <dialog ref={box} class={look} aria-labelledby={id} onCancel={onEscape} onClose={onClosed}>
      <header>
        <h2 id={id}>{title}</h2>
        <button class="copy" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
