import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Icon, type IconName, Button, CopyButton } from "./Button.tsx"
import { Form, type Values } from "./Form.tsx"
import { signal } from "@preact/signals"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  readonly wide?: boolean
}

/** The browser's own: it keeps the keyboard within, closes by Escape and gives the focus back. */
export const Dialog = ({ children, onClose, title, wide = false }: DialogProps) => {
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

/** A word about what was just done, which goes away by itself. */
export const notice = signal<string | undefined>(undefined)

let timer: number | undefined

const SHOWN_FOR = 5000

export const showNotice = (words: string): void => {
  clearTimeout(timer)
  notice.value = words
  timer = setTimeout(() => {
    notice.value = undefined
  }, SHOWN_FOR) as unknown as number
}

interface ActionButtonProps {
  /** On the button that opens it. */
  readonly name: string
  readonly label?: string
  readonly icon?: IconName
  readonly kind?: "primary" | "plain" | "danger" | "ghost"
  readonly title?: string
  /** What will happen, before it does. */
  readonly says: ComponentChildren
  readonly children?: ComponentChildren
  readonly submit: string
  readonly act: (values: Values, key: string) => Promise<unknown>
  /** Said when it is done. */
  readonly done: string
  readonly onDone?: () => void
}

/** One thing to do: a button, then a dialog that says what it will do and asks for what it needs. */
export const ActionButton = ({
  act,
  children,
  done,
  icon,
  kind = "plain",
  label,
  name,
  onDone,
  says,
  submit,
  title
}: ActionButtonProps) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind={kind === "danger" ? "caution" : kind} icon={icon} label={label} onClick={() => setOpen(true)}>
        {name}
      </Button>
      {open && (
        <Dialog title={title ?? name} onClose={() => setOpen(false)}>
          <Form
            submit={submit}
            danger={kind === "danger"}
            aside={<Button onClick={() => setOpen(false)}>Not now</Button>}
            onSubmit={async (values, key) => {
              await act(values, key)
              setOpen(false)
              showNotice(done)
              onDone?.()
            }}
          >
            <div class="says">{says}</div>
            {children}
          </Form>
        </Dialog>
      )}
    </>
  )
}

interface SecretDialogProps {
  readonly title: string
  readonly secret: string
  readonly says: string
  readonly onClose: () => void
}

/** What is shown this once, and then never again. */
export const SecretDialog = ({ onClose, says, secret, title }: SecretDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p class="says">{says}</p>
    <p class="secret">
      <code>{secret}</code>
      <CopyButton text={secret} what="the secret" />
    </p>
    <div class="form-end">
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
)
