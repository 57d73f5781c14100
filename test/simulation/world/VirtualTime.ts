/** Virtual time: a queue of planned callbacks. */

interface Planned {
  readonly at: number
  readonly turn: number
  readonly happen: () => void
  canceled: boolean
}

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.turn < b.turn)

/** Start of every run. */
export const startTime = Date.UTC(2026, 2, 2, 9)

export class VirtualTime {
  /** Milliseconds, by the database's clock. */
  now = startTime
  private turns = 0
  private readonly heap: Array<Planned> = []

  /** Returns a function that cancels it. */
  at(moment: number, happen: () => void): () => void {
    const planned: Planned = { at: Math.max(moment, this.now), turn: (this.turns += 1), happen, canceled: false }
    this.push(planned)
    return () => {
      planned.canceled = true
    }
  }

  after(millis: number, happen: () => void): () => void {
    return this.at(this.now + Math.ceil(millis), happen)
  }

  /** Time of the next callback; undefined: none. */
  get next(): number | undefined {
    while (this.heap[0]?.canceled === true) this.pop()
    return this.heap[0]?.at
  }

  /** Moves to the time and runs the first callback that is due. */
  advance(moment: number): void {
    this.now = Math.max(this.now, moment)
    const next = this.next
    if (next === undefined || next > this.now) return
    this.pop()!.happen()
  }

  private push(planned: Planned): void {
    const { heap } = this
    let at = heap.push(planned) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent]!, planned)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = planned
  }

  private pop(): Planned | undefined {
    const { heap } = this
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}
