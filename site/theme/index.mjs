// VitePress's own theme, in the colours and widths of style.css.
import DefaultTheme from 'vitepress/theme';
import './style.css';

export default DefaultTheme;
