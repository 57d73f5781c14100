import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { newKey } from "../api/Api.ts"
import type { Problem } from "../api/Problem.ts"
import { problemFrom } from "../state/Load.ts"
import { Button } from "./Button.tsx"
import { ProblemNote } from "./ProblemNote.tsx"

export type Values = Readonly<Record<string, string>>

interface Props {
  readonly children?: ComponentChildren
  /** `key` is the same however often the button is pressed until it has worked. */
  readonly onSubmit: (values: Values, key: string) => Promise<void>
  readonly submit: string
  readonly danger?: boolean
  /** Beside the button. */
  readonly aside?: ComponentChildren
}

/** Refused for good, so that the next try is another. What may still be running, or has not answered, keeps its key. */
const isOver = (status: number): boolean => status === 502 || (status >= 400 && status < 500 && status !== 409)

const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, String(value).trim()]))

export const Form = ({ aside, children, danger = false, onSubmit, submit }: Props) => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const key = useRef(newKey())
  const send = async (form: HTMLFormElement) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onSubmit(valuesOf(form), key.current)
      key.current = newKey()
    } catch (error) {
      const found = problemFrom(error)
      if (isOver(found.status)) key.current = newKey()
      setProblem(found)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      {children}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="form-end">
        {aside}
        <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
