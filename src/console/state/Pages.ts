/** A list that grows page by page, as far as somebody reads it. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Problem } from "../api/Problem.ts"
import { problemFrom } from "./Load.ts"
import { nextOf, type Page } from "./ReadOn.ts"

export interface Listed<A> {
  readonly items: ReadonlyArray<A> | undefined
  readonly problem: Problem | undefined
  readonly loading: boolean
  /** Undefined on the last page. */
  readonly more: (() => void) | undefined
  readonly reload: () => void
}

interface State<A> {
  readonly items?: ReadonlyArray<A>
  readonly problem?: Problem
  readonly cursor?: string | undefined
  readonly loading: boolean
}

export const usePages = <A>(
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<A>>,
  about: ReadonlyArray<unknown>
): Listed<A> => {
  const [state, setState] = useState<State<A>>({ loading: true })
  const [turn, setTurn] = useState(0)
  const controller = useRef<AbortController | undefined>(undefined)
  const subject = JSON.stringify(about)

  const fetchPage = (before: ReadonlyArray<A>, cursor: string | undefined) => {
    controller.current?.abort()
    const { signal } = (controller.current = new AbortController())
    ask(cursor, signal).then(
      (page) => {
        if (signal.aborted) return
        setState({ items: [...before, ...page.data], cursor: nextOf(page), loading: false })
      },
      (error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, problem: problemFrom(error), loading: false }))
      }
    )
  }

  useEffect(() => {
    setState(({ items }) => (turn === 0 || items === undefined ? { loading: true } : { items, loading: true }))
    fetchPage([], undefined)
    return () => controller.current?.abort()
  }, [subject, turn])

  const { cursor, items, loading, problem } = state
  const more = () => {
    setState((last) => ({ ...last, loading: true }))
    fetchPage(items ?? [], cursor)
  }
  return { items, problem, loading, more: cursor === undefined ? undefined : more, reload: () => setTurn(turn + 1) }
}
