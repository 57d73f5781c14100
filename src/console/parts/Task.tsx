import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { tell } from "../state/Notices.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, type Values } from "./Form.tsx"
import type { IconName } from "./Icon.tsx"

interface Props {
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
export const Task = ({
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
}: Props) => {
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
              tell(done)
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
