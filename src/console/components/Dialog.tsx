import type { ComponentChildren } from "preact"
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { type BoundCall, callWith } from "../api/ConsoleApi.ts"
import { Icon, type IconName, Button, CopyButton } from "./Button.tsx"
import { Form, type Values } from "./Form.tsx"
import { Reload } from "./PageFrame.tsx"
import { signal } from "@preact/signals"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** Native modal dialog: the browser traps the focus, closes it by Escape and restores the focus. */
export const Dialog = ({ children, onClose, title }: DialogProps) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key press, which is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    // Focuses the first field; the browser would focus the close button.
    dialog?.querySelector<HTMLElement>("form :is(input, select, textarea)")?.focus()
    return () => dialog?.close()
  }, [])
  // The close event comes later, when the dialog may be open again, so Escape closes it here.
  const onEscape = (event: Event) => {
    if (event.target !== box.current) return
    event.preventDefault()
    box.current?.close()
    onClose()
  }
  const onClosed = () => {
    if (box.current !== null) onClose()
  }
  return (
    <dialog ref={box} class="dialog" aria-labelledby={id} onCancel={onEscape} onClose={onClosed}>
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

/** Confirmation of the last action, shown for 5 seconds. */
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
  /** Text of the button that opens the dialog. */
  readonly name: string
  readonly label?: string
  readonly icon?: IconName
  readonly kind?: "primary" | "plain" | "danger" | "ghost"
  readonly title?: string
  /** Explains the action before it is confirmed. */
  readonly explanation: ComponentChildren
  readonly children?: ComponentChildren
  /** Text of the submit button; by default the name. */
  readonly submit?: string
  /** `send` has the idempotency key of the action. */
  readonly act: (values: Values, send: BoundCall) => Promise<unknown>
  /** Notice after success. */
  readonly done: string
  /** By default the surrounding data is loaded again. */
  readonly onDone?: () => void
  /** Shows the result of `act` once, as a secret. */
  readonly secret?: { readonly title: string; readonly explanation: string }
}

/** Button for one action: opens a dialog that explains it and asks for its values. */
export const ActionButton = ({
  act,
  children,
  done,
  icon,
  kind = "plain",
  label,
  name,
  onDone,
  explanation,
  secret,
  submit = name,
  title = name
}: ActionButtonProps) => {
  const [open, setOpen] = useState(false)
  const [shown, setShown] = useState<string>()
  const reload = useContext(Reload)
  const finish = onDone ?? reload
  return (
    <>
      <Button kind={kind === "danger" ? "caution" : kind} icon={icon} label={label} onClick={() => setOpen(true)}>
        {name}
      </Button>
      {open && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <Form
            submit={submit}
            danger={kind === "danger"}
            aside={<Button onClick={() => setOpen(false)}>{name.startsWith("Cancel") ? "Back" : "Cancel"}</Button>}
            onSubmit={async (values, key) => {
              const result = await act(values, callWith({ key }))
              setOpen(false)
              showNotice(done)
              // Closing the secret finishes: loading before may remove this button, and the secret with it.
              if (secret === undefined) finish()
              else setShown(String(result))
            }}
          >
            <div class="explanation">{explanation}</div>
            {children}
          </Form>
        </Dialog>
      )}
      {secret !== undefined && shown !== undefined && (
        <SecretDialog
          {...secret}
          secret={shown}
          onClose={() => {
            setShown(undefined)
            finish()
          }}
        />
      )}
    </>
  )
}

interface SecretDialogProps {
  readonly title: string
  readonly secret: string
  readonly explanation: string
  readonly onClose: () => void
}

const SecretDialog = ({ onClose, explanation, secret, title }: SecretDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p class="explanation">{explanation}</p>
    <p class="secret">
      <code>{secret}</code>
      <CopyButton text={secret} what="the secret" />
    </p>
    <div class="form-end">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
