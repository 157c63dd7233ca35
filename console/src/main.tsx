import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './console-app.js';
import './theme/colours.css';
import './theme/base.css';
import './layout/shell.css';
import './parts/parts.css';

const root = document.getElementById('root');
if (root) createRoot(root).render(<ConsoleApp />);
