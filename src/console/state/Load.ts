/** What a page shows, from the moment it is asked for: loading, there, or not to be had. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { Problem } from "../api/Problem.ts"

export interface Loaded<A> {
  readonly data: A | undefined
  readonly problem: Problem | undefined
  readonly loading: boolean
  readonly reload: () => void
}

export const problemFrom = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(-1, error instanceof Error ? error.message : String(error))

/** Asks anew when one of `about` changes, and every so many milliseconds where `every` is given and the page is seen. */
export const useLoad = <A>(
  ask: (signal: AbortSignal) => Promise<A>,
  about: ReadonlyArray<unknown>,
  every?: number
): Loaded<A> => {
  const [state, setState] = useState<{ data?: A; problem?: Problem; loading: boolean }>({ loading: true })
  const [turn, setTurn] = useState(0)
  const latest = useRef(ask)
  latest.current = ask
  const subject = JSON.stringify(about)
  const shown = useRef(subject)

  useEffect(() => {
    const controller = new AbortController()
    const same = shown.current === subject
    shown.current = subject
    setState((before) => (same ? { ...before, loading: true } : { loading: true }))
    latest.current(controller.signal).then(
      (data) => controller.signal.aborted || setState({ data, loading: false }),
      (error: unknown) => {
        if (!controller.signal.aborted)
          setState((before) => ({ ...before, problem: problemFrom(error), loading: false }))
      }
    )
    return () => controller.abort()
  }, [subject, turn])

  useEffect(() => {
    if (every === undefined) return undefined
    const timer = setInterval(() => document.hidden || setTurn((before) => before + 1), every)
    return () => clearInterval(timer)
  }, [every])

  return {
    data: state.data,
    problem: state.problem,
    loading: state.loading,
    reload: useCallback(() => setTurn((before) => before + 1), [])
  }
}
