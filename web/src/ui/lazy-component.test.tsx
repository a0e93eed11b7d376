import { act, render, screen } from '@testing-library/react'
import { Component, type ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lazyComponent, type LazyComponent } from './lazy-component.ts'

const script = { Sample: () => <h1>Sample</h1> }

class Caught extends Component<{ children: ReactNode }, { words?: string }> {
  override state: { words?: string } = {}
  static getDerivedStateFromError(error: Error) {
    return { words: error.message }
  }
  override render() {
    return this.state.words ?? this.props.children
  }
}

function shown(Page: LazyComponent<object>) {
  return (
    <Caught>
      <Page waiting="waiting" />
    </Caught>
  )
}

beforeEach(() => {
  // React logs what an error boundary has caught.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('a page fetched ahead is drawn at once, and its script is fetched once', async () => {
  const load = vi.fn(async () => script)
  const Page = lazyComponent(load, 'Sample')
  await Promise.all([Page.preload(), Page.preload()])
  render(shown(Page))
  expect(screen.getByRole('heading', { name: 'Sample' })).toBeDefined()
  expect(load).toHaveBeenCalledOnce()
})

test('a page that nobody fetched is fetched when it is drawn', async () => {
  let arrive = (): void => {}
  const arrived = new Promise<void>((settle) => (arrive = settle))
  const Page = lazyComponent(() => arrived.then(() => script), 'Sample')
  await act(async () => render(shown(Page)))
  expect(screen.getByText('waiting')).toBeDefined()
  await act(async () => arrive())
  expect(screen.getByRole('heading', { name: 'Sample' })).toBeDefined()
})

test('a failed fetch is thrown where the part is drawn, and the next drawing fetches again', async () => {
  const load = vi.fn(async () => script)
  load.mockRejectedValueOnce(new Error('not there')).mockRejectedValueOnce(new Error('still not there'))
  const Page = lazyComponent(load, 'Sample')
  await Page.preload()
  const { unmount } = await act(async () => render(shown(Page)))
  expect(screen.getByText('still not there')).toBeDefined()
  unmount()
  await act(async () => render(shown(Page)))
  expect(screen.getByRole('heading', { name: 'Sample' })).toBeDefined()
  expect(load).toHaveBeenCalledTimes(3)
})
