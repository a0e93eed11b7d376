// The gallery as a page of its own, for e2e/gallery.walk.e2e.ts: `?dir=rtl` mirrors it, the browser's scheme colours it.
import { Direction } from 'radix-ui'
import { createRoot } from 'react-dom/client'
import { pageDirection } from '../language/start.ts'
import '../styles.css'
import { GalleryPage } from './GalleryPage.tsx'

const page = document.documentElement
page.dir = new URLSearchParams(location.search).get('dir') ?? 'ltr'
page.dataset['theme'] = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const element = document.getElementById('root')
if (!element) throw new Error('gallery.html has no #root')

createRoot(element).render(
  <Direction.Provider dir={pageDirection()}>
    <GalleryPage />
  </Direction.Provider>,
)
